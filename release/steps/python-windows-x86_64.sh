# shellcheck shell=bash
# The Python wheel for Windows on x86-64, CPython 3.10 and later.
about="quotes as urllib and decodes a column in CPython 3.11 for Windows, under wine; needs python3.dll and the system's libraries"
source release/python.sh
source release/windows.sh

make_it() {
    windows_need
    # pyo3 makes the import library of python3.dll itself.
    CARGO_UNSTABLE_BUILD_STD=std,panic_unwind RUSTFLAGS=$windows_flags wheel release-python-windows --target "$windows_target"
}

check_it() {
    wheel_unpacked
    local library
    library=$(echo "$work"/unpacked/simdpct/_native*.pyd)
    has_no_path "$library"
    windows_imports "$library" >"$work/imports"
    grep -x python3.dll "$work/imports" >/dev/null
    ! grep -vixE 'python3\.dll|(kernel32|ntdll|msvcrt|userenv|ws2_32|bcryptprimitives|api-ms-win-core-[a-z0-9-]*)\.dll' "$work/imports" ||
        die "$library needs other libraries"
    windows_python "$work/python" "$library"
    # Without a console, CPython under wine needs pipes, or NUL, for its three streams.
    (cd "$work" && PYTHONHOME=Z:$work/python PYTHONPATH=Z:$work/unpacked PYTHONDONTWRITEBYTECODE=1 \
        with_wine "$work/python/python.exe" "$root/release/check-python.py" </dev/null 2>&1 | cat)
}

# windows_python FOLDER LIBRARY: makes a CPython for Windows from the registries. A wheel of panda3d, which
# packs programs, contains python.org's python311.dll. The modules in Python come from Debian. The script
# makes python.exe and python3.dll, which forwards the stable interface to python311.dll. It forwards only the
# functions that the library imports (abi3audit says that the real python3.dll has them).
windows_python() {
    debian_need wine wine64 gcc-mingw-w64-x86-64-posix
    local folder=$1 part
    mkdir -p "$folder"
    pip_install "$work/tools" --no-deps --only-binary :all: --platform win_amd64 --python-version 3.11 --target "$work/panda3d" panda3d==1.10.16
    for part in python311.dll VCRUNTIME140.dll unicodedata.pyd _ctypes.pyd libffi-8.dll; do
        cp "$work/panda3d/deploy_libs/$part" "$folder"
    done
    # CPython does not look for libraries in the PATH.
    cp "$(wine_shim)/bcryptprimitives.dll" "$folder"
    debian_unpacked "$work/root" libpython3.11-stdlib libpython3.11-minimal
    cp -rL "$work/root/usr/lib/python3.11" "$folder/Lib"
    (
        cd "$folder"
        printf 'LIBRARY python311.dll\nEXPORTS\nPy_Main\n' >main.def
        x86_64-w64-mingw32-dlltool -d main.def -l main.a
        cat >main.c <<'SOURCE'
#include <wchar.h>
int Py_Main(int, wchar_t **);
int wmain(int count, wchar_t **arguments) { return Py_Main(count, arguments); }
SOURCE
        x86_64-w64-mingw32-gcc-posix -municode main.c main.a -o python.exe
        {
            echo EXPORTS
            x86_64-w64-mingw32-objdump -p "$2" |
                awk '/DLL Name:/ { inside = $3 == "python3.dll" } /^$/ { inside = 0 } inside && $3 ~ /^_?Py/ { print $3 " = python311." $3 }'
        } >python3.def
        echo 'int unused;' >empty.c
        x86_64-w64-mingw32-gcc-posix -shared empty.c python3.def -o python3.dll
    )
}
