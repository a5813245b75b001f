// What is printed from the tables and committed agrees with the tables, and every option is read by its executable.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/strings.h"
#include "conf/emit.h"
#include "conf/mq_admin_aliases.h"
#include "conf/programs.h"

namespace mq::conf {
namespace {

std::string PathOf(const std::string& name) { return JoinPath(MQ_SOURCE_DIR, name); }

std::string Text(const std::string& name) {
  const Result<std::string> text = ReadFile(PathOf(name));
  EXPECT_TRUE(text.has_value()) << name;
  return text.value_or("");
}

std::string PageOf(const Program& program) {
  return "man/" + std::string(program.name) + "." + std::to_string(program.section);
}

void ExpectPage(const Program& program, const std::string& page) {
  const Result<std::string> filled = FillPage(program, Text(page + ".in"));
  ASSERT_TRUE(filled.has_value()) << filled.error().what;
  EXPECT_TRUE(*filled == Text(page)) << page << " differs from the option tables: make generated";
}

TEST(PagesTest, PagesAreThoseOfTheTables) {
  for (const Program* program : AllPrograms()) ExpectPage(*program, PageOf(*program));
  ExpectPage(MqBrokerProgram(), "man/mq.conf.5");
}

TEST(PagesTest, CompletionsAndExampleFilesAreThoseOfTheTables) {
  for (const Program* program : AllPrograms()) {
    const std::string name(program->name);
    EXPECT_TRUE(BashCompletion(*program) == Text("completions/" + name + ".bash")) << name << ": make generated";
    EXPECT_TRUE(ZshCompletion(*program) == Text("completions/_" + name)) << name << ": make generated";
    EXPECT_TRUE(FishCompletion(*program) == Text("completions/" + name + ".fish")) << name << ": make generated";
  }
  EXPECT_TRUE(ExampleFile(MqBrokerProgram()) == Text("daemons/systemd/broker.conf")) << "make generated";
  EXPECT_TRUE(ExampleFile(MqNamesrvProgram()) == Text("daemons/systemd/namesrv.conf")) << "make generated";
}

TEST(PagesTest, EveryOptionIsInPageHelpAndCompletions) {
  for (const Program* program : AllPrograms()) {
    const std::string page = Text(PageOf(*program));
    const std::string bash = BashCompletion(*program);
    const std::string zsh = ZshCompletion(*program);
    const std::string fish = FishCompletion(*program);
    for (const Option* row : AllRowsOf(*program)) {
      if (row->name == "emit") continue;
      const std::string name = LongName(*row);
      const std::string where = std::string(program->name) + " --" + name;
      EXPECT_NE(page.find("Fl \\-" + name), std::string::npos) << where;
      EXPECT_NE(bash.find("--" + name), std::string::npos) << where;
      EXPECT_NE(zsh.find("--" + name), std::string::npos) << where;
      EXPECT_NE(fish.find("-l " + name), std::string::npos) << where;
    }
    for (const Command& command : program->commands) {
      const std::string help = HelpText(*program, command.noun.empty() ? nullptr : &command, false);
      for (const Option* row : RowsOf(*program, command)) {
        if (row->name == "emit") continue;
        EXPECT_NE(help.find("--" + LongName(*row)), std::string::npos) << LongName(*row);
      }
    }
  }
}

TEST(PagesTest, EveryColumnAndEveryForeignNameIsOnThePage) {
  const std::string page = Text("man/mq-admin.1");
  for (const Command& command : MqAdminProgram().commands) {
    const std::string help = HelpText(MqAdminProgram(), &command, false);
    for (const auto& columns : {command.columns, command.changes}) {
      for (const Column& column : columns) {
        EXPECT_NE(page.find(".It Va " + std::string(column.name) + "\n"), std::string::npos) << column.name;
        EXPECT_NE(help.find("  " + std::string(column.name) + " "), std::string::npos) << column.name;
      }
    }
  }
  for (const Alias& alias : Aliases()) {
    EXPECT_NE(page.find(".It Li " + std::string(alias.name) + "\n"), std::string::npos) << alias.name;
  }
}

TEST(PagesTest, EveryNounHasASentenceAndEveryCommandANoun) {
  std::set<std::string_view> nouns;
  for (const Command& noun : MqAdminProgram().nouns) {
    EXPECT_FALSE(noun.doc.empty()) << noun.noun;
    nouns.insert(noun.noun);
  }
  for (const Command& command : MqAdminProgram().commands) {
    EXPECT_TRUE(command.hidden || nouns.contains(command.noun)) << command.noun;
  }
}

TEST(PagesTest, CrossReferencesResolve) {
  const std::set<std::string> foreign = {"systemd.1", "tail.1"};
  const Result<std::vector<std::string>> names = ListDirectory(PathOf("man"));
  ASSERT_TRUE(names.has_value());
  for (const std::string& name : *names) {
    if (name.ends_with(".in")) continue;
    const std::string text = Text("man/" + name);
    for (const std::string_view line : Split(text, '\n')) {
      const std::vector<std::string_view> words = SplitAny(line, " ");
      if (words.size() < 3 || words[0] != ".Xr") continue;
      const std::string target = std::string(words[1]) + "." + std::string(words[2]);
      EXPECT_TRUE(foreign.contains(target) || PathExists(PathOf("man/" + target))) << name << ": " << line;
    }
  }
}

// All sources below the folders, as one text.
std::string Sources(const std::vector<std::string>& folders) {
  std::string all;
  for (const std::string& folder : folders) {
    const Result<std::vector<std::string>> names = ListDirectory(PathOf(folder));
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.ends_with(".cc") || name == "wiring.h") all += Text(folder + "/" + name);
    }
  }
  return all;
}

// An option nobody asks for has no effect. Its name as a string literal in the sources of its executable shows who
// asks; what it does is shown by the tests of that executable.
TEST(PagesTest, EveryOptionIsRead) {
  const std::set<std::string> checked_while_parsing = {"brokerRole"};
  for (const Program* program : AllPrograms()) {
    const std::string part = std::string(program->name.substr(3));
    // What the broker hands to its helpers is read there by key.
    const std::string sources =
        Sources({"bin/" + part, "bin", "daemons/" + part, "daemons/broker", "daemons/helper", "lib/conf"});
    for (const Option* row : AllRowsOf(*program)) {
      const std::string name(SettingName(*row));
      if (checked_while_parsing.contains(name)) continue;
      const std::string quoted = "\"" + name + "\"";
      bool read = false;
      for (std::size_t at = sources.find(quoted); at != std::string::npos && !read; at = sources.find(quoted, at + 1)) {
        // The row itself is no reader.
        const std::string before = sources.substr(at < 8 ? 0 : at - 8, at < 8 ? at : 8);
        read = before.find(".name = ") == std::string::npos && before.find(".key = ") == std::string::npos;
      }
      EXPECT_TRUE(read) << program->name << ": nobody reads " << name;
    }
  }
}

}  // namespace
}  // namespace mq::conf
