import { mkdirSync } from 'node:fs'
import { SQL } from 'bun'
import { embeddedBinaries } from '../../tools/postgres/embedded-binaries.mjs'
import { startServer } from '../../tools/postgres/start-server.mjs'
import { systemBinaries } from '../../tools/postgres/system-binaries.mjs'

export interface BenchDatabases {
  readonly kind: 'SQLite' | 'Postgres'
  /** A new empty database, with a folder beside it. */
  fresh(): Promise<{ readonly folder: string; readonly databaseUrl: string }>
  end(): Promise<void>
}

/** One for each engine that this machine has. The bench starts its own Postgres server and removes it afterwards. */
export async function openBenchDatabases(folder: string): Promise<BenchDatabases[]> {
  let made = 0
  const newFolder = (): string => {
    made += 1
    const path = `${folder}/ledger-${process.hrtime.bigint()}-${made}`
    mkdirSync(path)
    return path
  }
  const sqlite: BenchDatabases = {
    kind: 'SQLite',
    fresh: async () => {
      const own = newFolder()
      return { folder: own, databaseUrl: `sqlite://${own}/bench.db` }
    },
    end: async () => undefined,
  }
  const binaries = systemBinaries() ?? embeddedBinaries()
  if (!binaries) {
    console.log('no Postgres can be started here; only SQLite is measured')
    return [sqlite]
  }
  const server = await startServer(binaries)
  const postgres: BenchDatabases = {
    kind: 'Postgres',
    fresh: async () => {
      made += 1
      const url = new URL(server.url)
      await createDatabase(server.url, `bench_${made}`)
      url.pathname = `/bench_${made}`
      return { folder: newFolder(), databaseUrl: url.href }
    },
    end: server.stop,
  }
  return [sqlite, postgres]
}

async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const server = new SQL(serverUrl, { max: 1 })
  try {
    await server.unsafe(`CREATE DATABASE ${name}`)
  } finally {
    await server.close()
  }
}
