"""Builds the outside project with heddle as its subproject.
Usage: subproject_test.py SOURCE_ROOT COMPILER..."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import app_serving
import notebook

source = pathlib.Path(sys.argv[1])
compiler = sys.argv[2:]

# The library is compiled once more, and only has to be right: not optimised, many files as one.
QUICK = ['--buildtype=debug', '-Doptimization=0', '-Ddebug=false', '--unity=on', '--unity-size=12']


def call(*command):
    subprocess.run(command, check=True, cwd=project)


def set_up():
    """The outside project's folder, with heddle in its subprojects, and its build folder."""
    shutil.copytree(notebook.SOURCE, project)
    (project / 'subprojects').mkdir()
    (project / 'subprojects/heddle').symlink_to(source, target_is_directory=True)
    os.environ['CXX'] = ' '.join(compiler)
    native = source / 'build/boost.native'  # where tools/setup has laid a Boost beside the system's older one
    call('meson', 'setup', 'build', '--force-fallback-for=heddle', *QUICK,
         *(['--native-file', str(native)] if native.exists() else []))


def only_the_library_is_built():
    listed = subprocess.run(['meson', 'introspect', '--targets', 'build'], check=True, cwd=project,
                            stdout=subprocess.PIPE, text=True).stdout
    targets = json.loads(listed)
    assert [one['name'] for one in targets if one['type'] == 'executable'] == ['notes'], targets
    assert 'heddle' in {one['name'] for one in targets}, targets
    assert not any(one['installed'] for one in targets), targets


def the_outside_program_keeps_notes():
    call('ninja', '-C', 'build')
    notebook.keeps_notes(project / 'build/notes')


with tempfile.TemporaryDirectory(prefix='heddle-subproject-') as directory:
    project = pathlib.Path(directory).resolve() / 'notes'
    set_up()
    app_serving.run(only_the_library_is_built, the_outside_program_keeps_notes)
