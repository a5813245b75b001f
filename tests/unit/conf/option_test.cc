// Properties that every row of every table must have.
#include "conf/option.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conf/emit.h"
#include "conf/programs.h"
#include "conf/settings.h"

namespace mq::conf {
namespace {

TEST(OptionTest, FlagsAreDerivedFromKeys) {
  EXPECT_EQ(FlagName("brokerName"), "broker-name");
  EXPECT_EQ(FlagName("flushDiskType"), "flush-disk-type");
  EXPECT_EQ(FlagName("brokerIP1"), "broker-ip1");
  EXPECT_EQ(FlagName("checkCRCOnRecover"), "check-crc-on-recover");
  EXPECT_EQ(FlagName("listen"), "listen");
}

TEST(OptionTest, EveryRowIsWhole) {
  for (const Program* program : AllPrograms()) {
    EXPECT_FALSE(program->doc.empty()) << program->name;
    for (const Option* row : AllRowsOf(*program)) {
      const std::string where = std::string(program->name) + " --" + LongName(*row);
      EXPECT_FALSE(row->doc.empty()) << where;
      EXPECT_FALSE(row->group.empty()) << where;
      EXPECT_FALSE(row->doc.ends_with('.')) << where;
      if (TakesNextArgument(*row)) {
        EXPECT_FALSE(MetavarOf(*row).empty()) << where;
      }
      if (row->kind == Kind::kEnum) {
        EXPECT_FALSE(row->choices.empty()) << where;
      }
      if (program->daemon && !row->meta && !row->key.empty()) {
        EXPECT_FALSE(row->readers.empty()) << where;
      }
      if (!row->default_value.empty()) {
        EXPECT_TRUE(CheckValue(*row, row->default_value).has_value()) << where;
      }
    }
  }
}

TEST(OptionTest, NamesAndLettersAreUnique) {
  for (const Program* program : AllPrograms()) {
    std::vector<Command> commands = program->commands;
    commands.emplace_back();
    for (const Command& command : commands) {
      std::set<std::string> names;
      std::set<char> letters;
      for (const Option* row : RowsOf(*program, command)) {
        EXPECT_TRUE(names.insert(LongName(*row)).second) << program->name << " --" << LongName(*row);
        if (row->letter != 0) {
          EXPECT_TRUE(letters.insert(row->letter).second) << program->name << " -" << row->letter;
        }
      }
    }
  }
}

TEST(OptionTest, BriefHelpFitsOneScreen) {
  for (const Program* program : AllPrograms()) {
    if (program->commands.size() > 1) continue;  // the list of sub-commands is as long as it is
    const std::string help = HelpText(*program, nullptr, true);
    EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 40) << help;
  }
}

TEST(OptionTest, ForeignKeysAreNotOurs) {
  for (const Option& row : BrokerSettings()) {
    EXPECT_FALSE(IsForeignBrokerKey(row.key)) << row.key;
    EXPECT_FALSE(IsUnsupportedBrokerKey(row.key)) << row.key;
  }
  EXPECT_TRUE(IsForeignBrokerKey("sendMessageThreadPoolNums"));
  EXPECT_FALSE(IsForeignBrokerKey("brokerName"));
}

}  // namespace
}  // namespace mq::conf
