# Planet Wars: executes a script that is not executable.
exec bots/helper.sh
