"""Installs heddle into a temporary folder, and builds the outside project with compiler and pkg-config alone.
Usage: installed_test.py LIBRARY PROGRAM SOURCE_ROOT BUILD_ROOT COMPILER..."""
import os
import pathlib
import subprocess
import sys
import tempfile

import app_serving
import notebook

source, build = map(pathlib.Path, sys.argv[3:5])
compiler = sys.argv[5:]


def output_of(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def install():
    """The prefix, with what `meson install` lays there."""
    output_of('meson', 'install', '-C', build, '--no-rebuild', '--destdir', root)
    (package,) = root.rglob('heddle.pc')
    os.environ['PKG_CONFIG_PATH'] = f"{package.parent}:{os.environ.get('PKG_CONFIG_PATH', '')}"
    found = pathlib.Path(output_of('pkg-config', '--variable=prefix', 'heddle').strip()).resolve()
    assert found.is_relative_to(root), f'heddle.pc speaks of {found} and lies in {package.parent}'
    return found


def the_public_headers_and_no_others():
    folder = prefix / 'include'
    installed = {str(path.relative_to(folder)) for path in folder.rglob('*') if path.is_file()}
    public = output_of(sys.executable, source / 'tests/house/public_headers.py', source).split()
    assert installed == set(public), installed ^ set(public)


def the_program_with_its_sample_configuration():
    heddle = prefix / 'bin/heddle'
    assert output_of(heddle, '--version') == 'heddle ' + output_of('pkg-config', '--modversion', 'heddle')
    sample = prefix / 'share/heddle/heddle.toml'
    plain = app_serving.clean_environment()
    assert 'port = 8080' in output_of(heddle, 'serve', '--print-config', '--config', sample, env=plain)


def the_maker_of_migrations():
    file, made = root / '0001_tags.sql', root / 'migrations.cpp'
    file.write_text('CREATE TABLE tags (name TEXT PRIMARY KEY)')
    output_of(prefix / 'bin/heddle-migrations', made, 'notes::migrations', file)
    flags = output_of('pkg-config', '--cflags', 'heddle').split()
    output_of(*compiler, '-std=c++20', '-fsyntax-only', made, *flags)
    assert '"0001_tags.sql"' in made.read_text()


def pkg_config_says_all_that_an_outside_project_needs():
    flags = output_of('pkg-config', '--cflags', '--libs', 'heddle').split()
    program = root / 'notes'
    output_of(*compiler, '-std=c++20', notebook.SOURCE / 'notes.cpp', '-o', program, *flags)
    notebook.keeps_notes(program)


with tempfile.TemporaryDirectory(prefix='heddle-installed-') as directory:
    root = pathlib.Path(directory).resolve()
    prefix = install()
    app_serving.run(the_public_headers_and_no_others, the_program_with_its_sample_configuration,
                    the_maker_of_migrations, pkg_config_says_all_that_an_outside_project_needs)
