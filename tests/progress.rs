//! The packing of a kernel's result, which is not public: the module is compiled again, here.

// Most of it is for kernels.
#[allow(dead_code)]
#[path = "../src/kernel/outcome.rs"]
mod outcome;

use outcome::{Progress, Stop};

const STOPS: [Stop; 6] =
    [Stop::End, Stop::Full, Stop::Change, Stop::Malformed, Stop::Rejected(0), Stop::Rejected(0xFF)];

#[test]
fn progress_round_trips_every_stop_and_offset() {
    for stop in STOPS {
        for read in [0, 1, 0xFF, 0x1_0000, usize::MAX >> 17] {
            let progress = Progress::new(read, 7, stop);
            assert_eq!(progress.stop(), stop);
            assert_eq!(progress.is_end(), stop == Stop::End);
            assert!(stop == Stop::End || progress.read() == read, "{stop:?} at {read}");
        }
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
#[cfg_attr(panic = "abort", ignore = "catches a panic")]
fn progress_at_2_to_the_48_panics() {
    for stop in STOPS.into_iter().skip(1) {
        assert!(std::panic::catch_unwind(|| Progress::new(1 << 48, 0, stop)).is_err(), "{stop:?}");
    }
}

#[test]
#[cfg_attr(panic = "abort", ignore = "catches a panic")]
fn initialised_without_room_panics() {
    for stop in STOPS {
        let initialised = std::panic::catch_unwind(|| Progress::new(3, 2, stop).initialised());
        assert_eq!(initialised.ok(), (stop != Stop::Full).then_some(2), "{stop:?}");
    }
}
