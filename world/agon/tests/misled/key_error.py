# Planet Wars: has a mistake of its own.
while input() != "go":
    pass
{}[3]
