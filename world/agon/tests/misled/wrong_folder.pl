# Planet Wars: reads a file of its own folder, but is started from another one.
open(my $book, '<', 'openings.txt') or die "openings.txt: $!\n";
