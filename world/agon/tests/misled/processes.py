# Planet Wars: starts another program.
import subprocess
subprocess.run(["true"], check=True)
