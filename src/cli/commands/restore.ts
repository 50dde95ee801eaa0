import { resolve } from 'node:path'
import type { Transaction } from 'kysely'
import { CommandProblem } from '../../app/command-problem.ts'
import { explainStore } from '../../app/database/explain-store.ts'
import { findSecrets, secretPath } from '../../app/secrets/read-secret.ts'
import { plural } from '../../core/text/plural.ts'
import { BackupProblem } from '../../store/backup/backup-problem.ts'
import { type Restored, restoreBackup } from '../../store/backup/restore-backup.ts'
import { migrations } from '../../store/migrations/list.ts'
import { openStore } from '../../store/open-store.ts'
import { openVault } from '../../store/secrets/open-vault.ts'
import type { Tables } from '../../store/tables/tables.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { noteThisMachine } from '../gateway/note-this-machine.ts'
import { rowProgress } from '../row-progress.ts'
import { audit } from './audit.ts'
import { notOverTheApi } from './backup.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Make the database equal to a backup. Stop every replica first.',
  example: 'tollgate.backup --replace',
  positionals: ['FILE'],
  options: {
    replace: { kind: 'switch', description: 'Delete everything that the database has now.' },
    yes,
  },
  onlyHere: notOverTheApi,
  run: async (call) => {
    noteThisMachine(call.context)
    const path = resolve(call.context.cwd, call.positionals[0] ?? '')
    if (call.isOn('replace')) await confirm(call, 'This deletes everything in the database')
    const { rows, migrated } = await restoreFrom(call, path)
    const migratedLine =
      migrated.length === 0 ? '' : `Applied the newer migrations ${migrated.join(', ')}.\n`
    call.context.stdout(
      `${plural(rows, 'row')} restored.\n${migratedLine}Keep the journal folder of every replica: at its next start the replica charges what the journals have and the database lacks, each request once. Start one replica on each journal folder, wait until each has logged "recovered", then admit requests.\n\n`,
    )
    return audit.run({ ...call, text: () => undefined, isOn: () => false, config: call.config })
  },
}

async function restoreFrom(call: CommandCall, path: string): Promise<Restored> {
  const { config, context } = call
  const secrets = findSecrets(config)
  if (secrets.length === 0) {
    throw new CommandProblem(
      `A backup can be read only with the secret of its database; put it into ${secretPath(config)}, or set TOLLGATE_SECRET.`,
    )
  }
  const engine = await openStore(config.database).catch((error: unknown) => {
    throw explainStore(config.database, error)
  })
  const verify = async (tx: Transaction<Tables>): Promise<void> => {
    if (await openVault(tx, secrets)) return
    throw new CommandProblem(
      'The backup belongs to another secret than the one of this gateway; restore that secret first. Nothing was changed.',
    )
  }
  try {
    return await restoreBackup({
      engine,
      path,
      list: migrations,
      mayReplace: call.isOn('replace'),
      nowMs: context.nowMs(),
      verify,
      progress: rowProgress(context),
    })
  } catch (error) {
    throw error instanceof BackupProblem ? new CommandProblem(error.message) : error
  } finally {
    await engine.close()
  }
}
