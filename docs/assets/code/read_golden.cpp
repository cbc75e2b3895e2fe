// Golden data from C++17, without a library: an .npz is a zip whose members are stored as they are.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// The elements of one array, as T; empty if there is no such member. Little-endian machines only.
template <typename T>
std::vector<T> read_array(const std::string &file, const std::string &name) {
  std::ifstream stream(file, std::ios::binary);
  const std::string zip(std::istreambuf_iterator<char>(stream), {});
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    std::memcpy(&value, zip.data() + at, bytes);
    return value;
  };
  for (std::size_t at = 0; at + 30 < zip.size() && number(at, 4) == 0x04034b50;) {  // a member's header
    const std::size_t size = number(at + 18, 4), begin = at + 30 + number(at + 26, 2) + number(at + 28, 2);
    if (zip.compare(at + 30, number(at + 26, 2), name + ".npy") == 0) {
      const std::size_t header = 10 + number(begin + 8, 2);  // the .npy header: magic, version, length, a dict
      std::vector<T> values((size - header) / sizeof(T));
      std::memcpy(values.data(), zip.data() + begin + header, values.size() * sizeof(T));
      return values;
    }
    at = begin + size;
  }
  return {};
}

int main(int count, char **arguments) {
  const std::string file = count > 1 ? arguments[1] : "golden/core/aclnnL1LossBackward.npz";
  const std::string id = "aclnnL1LossBackward/basic/FLOAT-2x2-mean-page-example";
  for (const char *name : {"gradOutput", "self", "target", "expected"}) {
    std::printf("%-10s", name);
    for (const float value : read_array<float>(file, id + "/" + name)) std::printf(" %g", value);
    std::printf("\n");
  }
}
