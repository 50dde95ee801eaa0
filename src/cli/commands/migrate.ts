import { existsSync } from 'node:fs'
import { CommandProblem } from '../../app/command-problem.ts'
import { messageOf } from '../../app/database/database-problem.ts'
import { explainStore } from '../../app/database/explain-store.ts'
import { migrationNotes } from '../../app/database/migration-notes.ts'
import { sqlitePathOf } from '../../core/network/sqlite-url.ts'
import { migrations } from '../../store/migrations/list.ts'
import { migrate, planMigrations, rehearse, textsOf } from '../../store/migrations/migrate.ts'
import { openStore } from '../../store/open-store.ts'
import type { Command } from '../command.ts'
import { noteThisMachine } from '../gateway/note-this-machine.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the schema of the database up to date, as the next start would.',
  positionals: [],
  options: {
    'dry-run': {
      kind: 'switch',
      description: 'Print the statements, and try them in a transaction that is rolled back.',
    },
  },
  onlyHere: 'A gateway migrates its database when it starts; run the command on its machine.',
  run: async ({ config, context, isOn }) => {
    noteThisMachine(context)
    const explain = (error: unknown): never => {
      throw explainStore(config.database, error)
    }
    const path = sqlitePathOf(config.database)
    if (isOn('dry-run') && path !== undefined && !existsSync(path)) {
      context.stdout(`${path} does not exist yet; the first start creates it.\n`)
      return 0
    }
    const engine = await openStore(config.database).catch(explain)
    try {
      const { pending, newer } = await planMigrations(engine, migrations).catch(explain)
      if (newer.length > 0) context.stdout(`A newer version has added ${newer.join(', ')}.\n`)
      if (pending.length === 0) {
        context.stdout('The schema is up to date.\n')
        return 0
      }
      if (isOn('dry-run')) {
        for (const each of pending) {
          const kind = each.isAdditive
            ? 'the previous version can still start'
            : 'the previous version cannot start afterwards'
          context.stdout(`-- ${each.id} (${kind})\n`)
          for (const text of textsOf(each, engine.kind)) context.stdout(`${text};\n`)
        }
        await rehearse(engine, migrations, context.nowMs()).catch((error: unknown) => {
          throw new CommandProblem(
            `The migrations fail on this database, which is unchanged: ${messageOf(error)}.`,
          )
        })
        context.stdout('-- All of them work on this database. They were rolled back.\n')
        return 0
      }
      const done = await migrate(engine, migrations, context.nowMs()).catch(explain)
      context.stdout(`${done.map((id) => `applied ${id}\n`).join('')}`)
      for (const note of await migrationNotes(engine, done)) context.stdout(`${note}\n`)
      return 0
    } finally {
      await engine.close()
    }
  },
}
