# Planet Wars: writes a log in the folder in which it was started.
echo begin > log.txt || exit 1
