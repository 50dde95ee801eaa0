import { idKind } from '../../fields/kinds.ts'
import { revealKey } from '../../keys/key-store.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command } from '../command.ts'
import { noKey } from '../not-there.ts'
import { readTyped } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

export const keysReveal: Command = {
  name: 'keys reveal',
  summary: 'Show the value of a key; that it was shown is recorded.',
  positionals: ['ID'],
  options: {},
  run: async (call) => {
    const [typed = ''] = call.positionals
    const id = readTyped('The id', idKind, typed)
    return withDatabase(call, async ({ engine, vault }) => {
      const value = await revealKey(engine, vault, id)
      if (value === undefined) throw noKey(id)
      const at = call.world.nowMs()
      // Recorded before it is shown: a value that nobody knows was shown is worse than one that was not.
      await write(engine, at, (writing) =>
        recordAudit(writing, { at, actor: cliActor, action: 'key.revealed', subject: id }),
      )
      call.world.stdout(`${value}\n`)
      return 0
    })
  },
}
