"""What R writes, by make.R."""
import os, subprocess
from cases import add_csv, folder, tell

subprocess.run(["Rscript", os.path.join(os.path.dirname(__file__), "make.R"), folder], check=True, stdout=subprocess.DEVNULL)
refused = {"R-Latin-1.csv": "UTF-8", "R-tabs, short header.csv": "", "R-spaces.csv": ""}
for name in sorted(os.listdir(folder)):
    sep = "\t" if "tabs" in name else ";" if "csv2" in name else ","
    with open(os.path.join(folder, name), "rb") as file:
        add_csv(name.replace("-", "/", 1), file.read(), sep, refused=refused.get(name))
tell()
