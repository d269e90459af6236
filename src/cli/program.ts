// The `planloom` command: its subcommands, their options, and their help.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
