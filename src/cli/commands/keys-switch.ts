import { idKind } from '../../fields/kinds.ts'
import { setKeyEnabled } from '../../keys/key-store.ts'
import { recordAudit } from '../../store/audit.ts'
import { write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { noKey } from '../not-there.ts'
import { readTyped } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

export const keysDisable: Command = {
  name: 'keys disable',
  summary: 'Stop a key from working; running gateways follow within a second.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchKey(call, false),
}

export const keysEnable: Command = {
  name: 'keys enable',
  summary: 'Let a disabled key work again.',
  positionals: ['ID'],
  options: {},
  run: (call) => switchKey(call, true),
}

function switchKey(call: CommandCall, isEnabled: boolean): Promise<number> {
  const [typed = ''] = call.positionals
  const id = readTyped('The id', idKind, typed)
  const at = call.world.nowMs()
  const word = isEnabled ? 'enabled' : 'disabled'
  return withDatabase(call, async ({ engine }) => {
    const wasEnabled = await write(engine, at, async (writing) => {
      const row = await writing.tx
        .selectFrom('api_key')
        .select('enabled')
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) throw noKey(id)
      const was = row.enabled === 1
      if (was === isEnabled) return was
      await setKeyEnabled(writing, id, isEnabled)
      const before = { isEnabled: was }
      const action = `key.${word}`
      await recordAudit(writing, {
        at,
        actor: cliActor,
        action,
        subject: id,
        before,
        after: { isEnabled },
      })
      return was
    })
    call.world.stdout(
      `key ${id} ${wasEnabled === isEnabled ? `was ${word} already` : `is ${word}`}\n`,
    )
    return 0
  })
}
