import { alignColumns } from '../../config/align-columns.ts'
import { complete } from '../../fields/definition.ts'
import { type KeySettings, keyDefinition, keyValueKind } from '../../keys/definition/key.ts'
import { createKey } from '../../keys/key-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../../provision/default-group.ts'
import { knownIds } from '../../provision/known-ids.ts'
import { CommandProblem } from '../../serve/command-problem.ts'
import type { OpenDatabase } from '../../serve/open-database.ts'
import { recordAudit } from '../../store/audit.ts'
import { type Writing, write } from '../../store/write.ts'
import { cliActor } from '../cli-actor.ts'
import type { Command, CommandCall } from '../command.ts'
import { definedOptions, readOptions } from '../defined-options.ts'
import { noAccount } from '../not-there.ts'
import { readOption } from '../read-typed.ts'
import { withDatabase } from '../with-database.ts'

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'Make an API key and show its value, once.',
  positionals: [],
  options: {
    ...definedOptions(keyDefinition),
    value: { kind: 'text', placeholder: 'TEXT', description: 'Bring an existing value along.' },
  },
  run: async (call) => {
    const settings = complete(keyDefinition, readOptions(keyDefinition, 'keys create', call))
    const value = readOption(call, 'value', keyValueKind, { isSecret: true })
    return withDatabase(call, async (database) => {
      const made = await makeKey(database, call, settings, value)
      call.world.stdout(
        `${alignColumns([
          ['id', made.id],
          ['value', made.value],
        ]).join('\n')}\n`,
      )
      return 0
    })
  },
}

function makeKey(
  { engine, vault }: OpenDatabase,
  { world }: CommandCall,
  settings: KeySettings,
  value: string | undefined,
): Promise<{ id: string; value: string }> {
  const at = world.nowMs()
  const tools = { vault, random: world.random, nowMs: world.nowMs }
  return write(engine, at, async (writing) => {
    if (settings.groups.includes(defaultGroup)) await ensureDefaultGroup(writing, tools)
    await checkReferences(writing, settings)
    if (value !== undefined) await refuseUsedValue(writing, vault.lookupHash(value))
    const made = await createKey(writing, tools, settings, { value })
    const entry = { at, actor: cliActor, action: 'key.created', subject: made.id, after: settings }
    await recordAudit(writing, entry)
    return made
  })
}

async function checkReferences({ tx }: Writing, settings: KeySettings): Promise<void> {
  const accounts = await knownIds(tx, 'account', [settings.accountId])
  if (!accounts.has(settings.accountId)) {
    throw noAccount(settings.accountId)
  }
  const groups = await knownIds(tx, 'service_group', settings.groups)
  const missing = settings.groups.find((group) => !groups.has(group))
  if (missing === undefined) return
  throw new CommandProblem(`There is no group "${missing}"; add it to provision.groups and apply.`)
}

async function refuseUsedValue({ tx }: Writing, valueHash: string): Promise<void> {
  const row = await tx
    .selectFrom('api_key')
    .select('id')
    .where('value_hash', '=', valueHash)
    .executeTakeFirst()
  if (row)
    throw new CommandProblem(`The key "${row.id}" has this value already; every key needs its own.`)
}
