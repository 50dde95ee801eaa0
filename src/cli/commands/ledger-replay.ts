import { replayRefused } from '../../ledger/replay-refused.ts'
import { settleShapes } from '../../ledger/settle-record.ts'
import { journalPath } from '../../serve/make-journal-folder.ts'
import { usageShapes } from '../../usage/usage-shapes.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

export const ledgerReplay: Command = {
  name: 'ledger replay',
  summary: 'Apply the records that the database had refused, each once.',
  positionals: [],
  options: {},
  run: (call) =>
    withDatabase(call, async ({ engine }) => {
      await engine.defineShapes([...settleShapes, ...usageShapes])
      const { applied, refused, damaged } = await replayRefused(engine, journalPath(call.config))
      const lines = [`${applied} records are in the database now`]
      if (refused > 0) lines.push(`${refused} records are still refused, and stay in refused.log`)
      if (damaged > 0) lines.push(`${damaged} lines cannot be read, and stay in refused.log`)
      call.world.stdout(`${lines.join('\n')}\n`)
      return refused + damaged === 0 ? 0 : 1
    }),
}
