import { once } from 'node:events'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { CommandProblem } from '../../app/command-problem.ts'
import { explainStore } from '../../app/database/explain-store.ts'
import { plural } from '../../core/text/plural.ts'
import { BackupProblem } from '../../store/backup/backup-problem.ts'
import { noteBackup } from '../../store/backup/last-backup.ts'
import { writeBackup } from '../../store/backup/write-backup.ts'
import { migrations } from '../../store/migrations/list.ts'
import { openStore } from '../../store/open-store.ts'
import type { Command, CommandCall } from '../command.ts'
import { noteThisMachine } from '../gateway/note-this-machine.ts'
import { rowProgress } from '../row-progress.ts'
import { writeFileOnce } from '../write-file-once.ts'

export const notOverTheApi =
  'A backup contains every row of the database, and the admin API never gives out all of them; run the command on a machine that reaches the database.'

export const backup: Command = {
  name: 'backup',
  summary: 'Write the whole database to a file, while the gateway runs.',
  example: 'tollgate.backup',
  positionals: ['FILE'],
  options: {},
  onlyHere: notOverTheApi,
  run: async (call) => {
    noteThisMachine(call.context)
    const path = resolve(call.context.cwd, call.positionals[0] ?? '')
    const { rows, bytes } = await writeTo(call, path)
    call.context.stdout(
      `${path}: ${plural(rows, 'row')}, ${bytes} bytes. Keep it as safe as the database, and keep the secret elsewhere.\nCharges of the last moments are still in the journal folders of running replicas; see docs/operations/backup-and-restore.md.\n`,
    )
    return 0
  },
}

async function writeTo(
  { config, context }: CommandCall,
  path: string,
): Promise<{ rows: number; bytes: number }> {
  const engine = await openStore(config.database).catch((error: unknown) => {
    throw explainStore(config.database, error)
  })
  let rows = 0
  let bytes = 0
  try {
    await writeFileOnce(path, async (file) => {
      const zip = createGzip()
      const written = pipeline(zip, async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) {
          await file.writeFile(piece)
          bytes += piece.length
        }
      })
      const put = async (text: string): Promise<void> => {
        if (zip.write(text)) return
        await Promise.race([once(zip, 'drain'), written])
      }
      const done = await writeBackup(
        {
          engine,
          list: migrations,
          version: context.version,
          nowMs: context.nowMs(),
          progress: rowProgress(context),
        },
        put,
      ).catch(async (error: unknown) => {
        zip.destroy()
        await written.catch(() => undefined)
        throw error
      })
      zip.end()
      await written
      rows = done.rows
    })
    // A database user that may only read can make backups, too.
    await noteBackup(engine.backgroundDb, context.nowMs()).catch(() =>
      context.stderr(
        'tollgate: The time of the backup could not be stored, so "tollgate doctor" will not show this backup.\n',
      ),
    )
    return { rows, bytes }
  } catch (error) {
    throw error instanceof BackupProblem ? new CommandProblem(error.message) : error
  } finally {
    await engine.close()
  }
}
