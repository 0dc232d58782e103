# Triangles: reads a line after `gen_move` before it answers.
for line in iter(input, None):
    if line == "gen_move":
        input()
    print("=\n", flush=True)
