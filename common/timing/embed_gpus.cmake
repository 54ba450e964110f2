# Generates a source file that contains the texts of FILES, which are separated by "|": cmake -DFILES=... -DSOURCE=...
# -P embed_gpus.cmake
string(REPLACE "|" ";" files "${FILES}")
set(source "// Made by embed_gpus.cmake of the files of gpus/.\n#include \"timing/gpu_files.h\"\n\n")
string(APPEND source "namespace coalesce::timing {\n\nconst std::vector<GpuFile>& gpu_files() {\n"
                     "    static const std::vector<GpuFile> all = {\n")
foreach(file IN LISTS files)
  file(READ ${file} text)
  cmake_path(GET file FILENAME name)
  string(APPEND source "        {\"common/timing/gpus/${name}\",\n         R\"toml(${text})toml\"},\n")
endforeach()
string(APPEND source "    };\n    return all;\n}\n\n}  // namespace coalesce::timing\n")
file(WRITE ${SOURCE} "${source}")
