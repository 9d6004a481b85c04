"""Seeds of the targets that read containers and images: container_seeds.py TARGET FOLDER."""
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATTERNS = {
    "container": ["compat/v*/*.cuco"],
    "elf": ["compat/images/*.cubin", "compat/images/host_*", "fuzz/corpus/elf/*"],
    "fatbin": ["compat/images/*.fatbin", "fuzz/corpus/fatbin/*"],
    "ptx_text": ["compat/images/*.ptx", "fuzz/corpus/ptx_text/*"],
}


def main(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in PATTERNS[target]:
        for seed in ROOT.glob(pattern):
            shutil.copyfile(seed, folder / seed.name)
    assert any(folder.iterdir()), f"no seeds for {target}"


if __name__ == "__main__":
    main(*sys.argv[1:])
