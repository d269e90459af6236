// The memory journal, by what every journal must do.
import { memoryJournal } from '../../src/runtime/index.ts'
import { describeJournal } from './describeJournal.ts'

describeJournal('the memory journal', () => memoryJournal())
