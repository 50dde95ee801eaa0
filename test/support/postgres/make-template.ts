import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { freshDatabase } from './fresh-database.ts'

/* Creates a database with the schema and no rows, which tests copy, and prints its name. */

const { url, name } = await freshDatabase({ isEmpty: true })
const engine = await openStore(url)
await migrate(engine, migrations, 1)
await engine.close()
process.stdout.write(`${name}\n`)
process.exit(0)
