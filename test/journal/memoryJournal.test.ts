// The memory journal, by what every journal must do.
import { memoryJournal } from '../../src/runtime/index.ts'
import { describeJournal } from './describeJournal.ts'
import { describeRequests } from './describeRequests.ts'
import { describeReuse } from './describeReuse.ts'

describeJournal('the memory journal', () => memoryJournal())
describeRequests('the memory journal', () => memoryJournal())
describeReuse('the memory journal', (options) => memoryJournal(options))
