//! `pct info`.

use simdpct::Level;

use crate::{pct, run, text};

#[test]
fn version_and_levels_are_printed() {
    for level in Level::available() {
        let output = pct(&["info"]).env("SIMDPCT_LEVEL", level.name()).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        let mut lines = told.lines();
        assert_eq!(lines.next(), Some(concat!("pct ", env!("CARGO_PKG_VERSION"))));
        assert_eq!(lines.next(), Some(format!("level {level}").as_str()));
        let levels: Vec<_> = lines.map(|line| line.trim().split_once(' ').unwrap()).collect();
        assert_eq!(
            levels.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            Level::ALL.iter().map(|level| level.name()).collect::<Vec<_>>()
        );
        for (name, state) in levels {
            let other: Level = name.parse().unwrap();
            let expected = match (other == level, other.is_available()) {
                (true, _) => "in use",
                (_, true) => "available",
                (_, false) => "not on this machine",
            };
            assert_eq!(state.trim(), expected, "{told}");
        }
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    }
}

#[test]
fn it_takes_nothing() {
    assert_eq!(run(&["info", "file"], b"").status.code(), Some(2));
    assert_eq!(run(&["info", "--level", "avx2"], b"").status.code(), Some(2));
}
