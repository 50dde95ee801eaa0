import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandProblem } from '../../app/command-problem.ts'
import { DatabaseProblem } from '../../app/database/database-problem.ts'
import {
  findSecrets,
  formerPath,
  replaceSecretFile,
  secretPath,
} from '../../app/secrets/read-secret.ts'
import { rotateSecret } from '../../app/secrets/rotate-secret.ts'
import { plural } from '../../core/text/plural.ts'
import { type FileLock, lockFile } from '../../store/engine/file-lock.ts'
import type { Engine } from '../../store/engine.ts'
import { migrations } from '../../store/migrations/list.ts'
import { planMigrations } from '../../store/migrations/migrate.ts'
import type { Command, CommandCall } from '../command.ts'
import { noteThisMachine } from '../gateway/note-this-machine.ts'
import { withDatabase } from '../with-database.ts'

/** Five times the interval at which a gateway looks for changes. */
const noticeMs = 2_000

export const secretRotate: Command = {
  name: 'secret rotate',
  summary: 'Replace the secret while the gateway runs. Repeat the command until it is complete.',
  positionals: [],
  options: {},
  onlyHere:
    'The admin API has no access to the secret; run the command on a machine that has it and reaches the database.',
  run: async (call) => {
    noteThisMachine(call.context)
    try {
      await withDatabase(call, ({ engine }) => checkKnown(engine))
    } catch (error) {
      // A new secret does not fit the database without the former one.
      if (error instanceof DatabaseProblem && call.config.secret !== undefined) bothSecrets(call)
      throw error
    }
    const lock = call.config.secret === undefined ? lockSecretFile(call) : undefined
    try {
      return await rotate(call, prepare(call))
    } finally {
      lock?.release()
    }
  },
}

/** Two commands at once would each replace the secret file, and one of the new secrets would be lost. */
function lockSecretFile({ config }: CommandCall): FileLock {
  const lock = lockFile(`${secretPath(config)}.lock`, true)
  if (lock) return lock
  throw new CommandProblem(
    `Another "tollgate secret rotate" is running on the data folder ${config.data}; wait until it has ended.`,
  )
}

function rotate(call: CommandCall, secrets: readonly [string, string]): Promise<number> {
  return withDatabase(call, async ({ engine }) => {
    const { stdout, stderr, nowMs } = call.context
    const done = await rotateSecret({
      engine,
      secrets,
      nowMs,
      untilNoticed: () => sleep(noticeMs),
      progress: (column, values) => stderr(`${column}: ${plural(values, 'value')}\n`),
    })
    if (done === 'unknown') throw new CommandProblem('Neither secret fits the database.')
    if (done === 'overtaken') {
      throw new CommandProblem(
        'Another "tollgate secret rotate" has changed the keys meanwhile. Run the command in one place only, with the same new secret; no value is lost.',
      )
    }
    stdout(`Values that were sealed again with the new secret: ${done.resealed}.\n`)
    if (done.unreadable.length > 0) {
      throw new CommandProblem(
        `Neither secret opens these values: ${done.unreadable.join(', ')}. The gateway cannot use them either. Enter them again or delete their objects in the console (stored responses, messages and recordings expire), then repeat this command. Both secrets stay valid until then.`,
      )
    }
    if (done.waitingFor.length > 0) {
      stdout(
        `Restart with the new secret: ${done.waitingFor.join(', ')}. They work with the former one until then. Then repeat this command.\n`,
      )
      return 0
    }
    rmSync(formerPath(call.config), { force: true })
    stdout(
      'The rotation is complete: the former secret opens nothing any more. Remove formerSecret.\n',
    )
    return 0
  })
}

/** A newer version may have sealed values in columns that this one does not know. They would become unreadable. */
async function checkKnown(engine: Engine): Promise<void> {
  const { newer } = await planMigrations(engine, migrations)
  if (newer.length === 0) return
  throw new CommandProblem(
    `A newer version of Tollgate has used the database (${newer.join(', ')}), and may have sealed values that this version does not know. Rotate the secret with that version.`,
  )
}

/** The new and the former secret. A generated secret is replaced here; a configured one by the operator. */
function prepare({ config }: CommandCall): readonly [string, string] {
  const isGenerated = config.secret === undefined
  if (isGenerated && config.formerSecret === undefined) {
    if (!existsSync(secretPath(config)))
      throw new CommandProblem(`There is no secret to rotate: ${secretPath(config)} is missing.`)
    replaceSecretFile(config)
  }
  return bothSecrets({ config })
}

function bothSecrets({ config }: Pick<CommandCall, 'config'>): readonly [string, string] {
  const [secret, former] = findSecrets(config)
  if (secret === undefined || former === undefined) {
    throw new CommandProblem(
      'Set secret to a new secret of 32 characters or more, and formerSecret to the present one; then repeat the command.',
    )
  }
  if (secret === former) throw new CommandProblem('secret and formerSecret are the same.')
  return [secret, former]
}
