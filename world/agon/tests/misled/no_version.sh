echo "pyenv: version \`3.1.4' is not installed (set by $PWD/.python-version)" >&2
exit 1
