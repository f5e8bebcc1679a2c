// The windows of `glycine view`, on a display of the test's own: no other window covers them or takes the
// keys.
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>

#include <functional>

#include "tests/app/program_test.hpp"
#include "tests/needs.hpp"

namespace glycine::test {
namespace {

/// How long a slow machine may take for one step.
constexpr std::chrono::seconds kPatience{120};

void rest(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// An X server without a screen.
class VirtualDisplay {
  public:
    VirtualDisplay() {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) return;
        server_ = ::fork();
        if (server_ == 0) {
            ::close(ends[0]);
            ::dup2(::open("/dev/null", O_RDWR), STDERR_FILENO);
            const std::string descriptor = std::to_string(ends[1]);
            ::execlp("Xvfb", "Xvfb", "-displayfd", descriptor.c_str(), "-screen", "0", "640x480x24",
                     "-nolisten", "tcp", "-noreset", nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        // Writes its number and a line feed when it takes clients.
        char digit = 0;
        pollfd ready{ends[0], POLLIN, 0};
        while (::poll(&ready, 1, std::chrono::milliseconds(kPatience).count()) > 0 &&
               ::read(ends[0], &digit, 1) == 1 && digit != '\n')
            name_ += name_.empty() ? std::string{':', digit} : std::string{digit};
        ::close(ends[0]);
    }
    ~VirtualDisplay() {
        if (server_ <= 0) return;
        ::kill(server_, SIGTERM);
        ::waitpid(server_, nullptr, 0);
    }
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;
    const std::string& name() const { return name_; }

  private:
    pid_t server_ = -1;
    std::string name_;
};

/// A user at the display, who sees its pixels and titles, moves the mouse, and types, through the X server's
/// XTEST extension.
class User {
  public:
    explicit User(const std::string& display)
        : x11_(dlopen("libX11.so.6", RTLD_NOW)), xtst_(dlopen("libXtst.so.6", RTLD_NOW)) {
        if (x11_ == nullptr || xtst_ == nullptr || display.empty()) return;
        display_ = call<void*>(x11_, "XOpenDisplay", display.c_str());
        // A window may close while its title is read.
        call<void*>(
            x11_, "XSetErrorHandler", +[](void*, void*) { return 0; });
    }
    ~User() {
        if (isPresent()) call<int>(x11_, "XCloseDisplay", display_);
    }
    User(const User&) = delete;
    User& operator=(const User&) = delete;
    bool isPresent() const { return display_ != nullptr; }

    std::string pixels() const {
        struct XImage {  // first members, as in Xlib.h
            int width, height, offset, format;
            char* data;
            int byteOrder, unit, bitOrder, pad, depth, bytesPerLine, bitsPerPixel;
        };
        constexpr int kZPixmap = 2;
        auto* const image =
            call<XImage*>(x11_, "XGetImage", display_, root(), 0, 0, 400U, 300U, ~0UL, kZPixmap);
        if (image == nullptr) return "";
        std::string pixels(image->data, static_cast<std::size_t>(image->bytesPerLine) * 300);
        call<int>(x11_, "XFree", static_cast<void*>(image->data));
        call<int>(x11_, "XFree", static_cast<void*>(image));
        return pixels;
    }
    /// Titles of all windows.
    std::string titles() const {
        unsigned long top = 0, parent = 0;
        unsigned long* windows = nullptr;
        unsigned int count = 0;
        std::string titles;
        if (call<int>(x11_, "XQueryTree", display_, root(), &top, &parent, &windows, &count) == 0)
            return titles;
        for (unsigned int w = 0; w < count; ++w) {
            char* title = nullptr;
            if (call<int>(x11_, "XFetchName", display_, windows[w], &title) != 0 && title != nullptr)
                titles += title;
            if (title != nullptr) call<int>(x11_, "XFree", static_cast<void*>(title));
        }
        if (windows != nullptr) call<int>(x11_, "XFree", static_cast<void*>(windows));
        return titles;
    }
    /// The pass that a title names, or -1.
    long pass() const {
        const std::string all = titles();
        const std::size_t at = all.find(": pass ");
        return at == std::string::npos ? -1 : std::stol(all.substr(at + 7));
    }

    void moveTo(int x, int y) const {
        call<int>(xtst_, "XTestFakeMotionEvent", display_, -1, x, y, 0UL);
        flush();
    }
    void drag(unsigned button, int further) const {
        moveTo(300, 150);
        press("XTestFakeButtonEvent", button, 1);
        for (int step = 1; step <= 3; ++step) {
            rest(50);
            moveTo(300 + step * further, 150 + step * further);
        }
        press("XTestFakeButtonEvent", button, 0);
    }
    void turnWheel() const {
        for (const int isDown : {1, 0}) press("XTestFakeButtonEvent", 4, isDown);
    }
    /// Presses a key and lets it go at once, between two frames.
    void type(const char* key) const {
        const auto symbol = call<unsigned long>(x11_, "XStringToKeysym", key);
        const unsigned code = call<unsigned char>(x11_, "XKeysymToKeycode", display_, symbol);
        for (const int isDown : {1, 0}) press("XTestFakeKeyEvent", code, isDown);
    }

  private:
    template <class Result, class... Arguments>
    static Result call(void* library, const char* name, Arguments... arguments) {
        return reinterpret_cast<Result (*)(Arguments...)>(dlsym(library, name))(arguments...);
    }
    unsigned long root() const { return call<unsigned long>(x11_, "XDefaultRootWindow", display_); }
    void press(const char* event, unsigned code, int isDown) const {
        call<int>(xtst_, event, display_, code, isDown, 0UL);
        flush();
    }
    void flush() const { call<int>(x11_, "XSync", display_, 0); }
    void* x11_;
    void* xtst_;
    void* display_ = nullptr;
};

class ViewWindow : public ProgramTest {
  protected:
    void SetUp() override {
        for (const std::string& lack :
             {lackOfProgram("Xvfb"), user_.isPresent() ? "" : std::string("needs: libXtst")})
            if (!lack.empty()) GTEST_SKIP() << lack;
        std::string atoms = "MODEL        1\n";
        for (int r = 0; r < 8; ++r)
            atoms +=
                fmt::format("ATOM  {:5}  CA  ALA A{:4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00           C\n",
                            r + 1, r + 1, 3.3 * r, r % 2 == 0 ? 0 : 1.9, 0.0);
        writeFile(folder_ / "a.pdb", atoms + "ENDMDL\nEND\n");
        succeed("generate bounds --atoms 300 -o b.npz"_args);
        const Outcome tried = view("a.pdb --frames 1"_args, [] {});
        if (tried.err.find("without Dear ImGui") != std::string::npos) GTEST_SKIP() << tried.err;
    }

    /// Runs `view` with `arguments` at the display, if this build can.
    Outcome view(std::vector<std::string> arguments, const std::function<void()>& act) const {
        arguments.insert(arguments.begin(), "view");
        const pid_t viewer = start(arguments, {"DISPLAY=" + display_.name()});
        act();
        if (!becomes([&] { return user_.titles().empty(); })) ::kill(viewer, SIGKILL);
        return finish(viewer);
    }
    /// Repeats an action until `happened` is true.
    template <class Happened, class Action>
    static bool until(const Happened& happened, const Action& action) {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (std::chrono::steady_clock::now() < end) {
            if (happened()) return true;
            action();
            rest(100);
        }
        return false;
    }
    template <class Happened>
    static bool becomes(const Happened& happened) {
        return until(happened, [] {});
    }

    VirtualDisplay display_;
    User user_{display_.name()};
};

TEST_F(ViewWindow, OpensForMoleculesAndPasses) {
    for (const std::vector<std::string>& what :
         {"a.pdb --frames 3"_args, "a.pdb --style sticks --frames 2 --size 320x240"_args,
          "b.npz --frames 4"_args, "b.npz --variant blocked --frames 60"_args}) {
        const Outcome outcome = view(what, [] {});
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    }
}

TEST_F(ViewWindow, TheMouseMovesAMolecule) {
    const Outcome outcome = view("a.pdb --size 400x300"_args, [&] {
        EXPECT_TRUE(becomes([&] { return user_.titles() == "a.pdb - Glycine"; }));
        user_.moveTo(300, 150);
        // The display's pixels once they stay the same.
        const auto settled = [&] {
            std::string pixels;
            EXPECT_TRUE(becomes([&] {
                const std::string before = std::exchange(pixels, user_.pixels());
                return before == pixels;
            }));
            return pixels;
        };
        const std::vector<std::pair<const char*, std::function<void()>>> acts{
            {"drag to turn", [&] { user_.drag(1, 15); }},
            {"drag with the right button to move", [&] { user_.drag(3, -15); }},
            {"turn the wheel", [&] { user_.turnWheel(); }}};
        for (const auto& [name, act] : acts) {
            const std::string before = settled();
            EXPECT_TRUE(until([&] { return user_.pixels() != before; }, act)) << name;
        }
        EXPECT_TRUE(until([&] { return user_.titles().empty(); }, [&] { user_.type("Escape"); }));
    });
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
}

TEST_F(ViewWindow, KeysStopStepAndGoOn) {
    const Outcome outcome = view("b.npz --variant scalar --size 400x300"_args, [&] {
        EXPECT_TRUE(becomes([&] { return user_.pass() > 0; }));
        user_.moveTo(300, 150);
        const auto isStopped = [&] { return user_.titles().find(", stopped") != std::string::npos; };
        user_.type("space");
        EXPECT_TRUE(becomes(isStopped)) << user_.titles();
        const long stopped = user_.pass();
        rest(300);
        EXPECT_EQ(user_.pass(), stopped);
        user_.type("Right");
        EXPECT_TRUE(becomes([&] { return user_.pass() == stopped + 1; })) << user_.titles();
        user_.type("space");
        EXPECT_TRUE(becomes([&] { return user_.pass() > stopped + 1; })) << user_.titles();
        EXPECT_FALSE(isStopped());
        user_.type("Escape");
    });
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
}

}  // namespace
}  // namespace glycine::test
