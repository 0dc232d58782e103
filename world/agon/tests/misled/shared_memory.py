# Planet Wars: uses a pool of processes.
import multiprocessing
multiprocessing.Pool(2).map(abs, [1, 2, 3])
