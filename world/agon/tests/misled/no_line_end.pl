# Planet Wars: writes its answer without the end of the line.
$| = 1;
while (<STDIN>) { print "go" if /^go/ }
