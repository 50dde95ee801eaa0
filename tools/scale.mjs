import './bootstrap/require-node.mjs'

/*
 * Extrapolates from measured figures to a number of requests per second. docs/scale.md explains where the figures come
 * from. Usage: npm run scale -- [requests per second]
 */

/** Measured; see docs/scale.md. */
const measured = {
  entriesPerSecond: 23_000,
  bytesPerEntry: 256,
  bytesPerUsageRow: 505,
  connectionsPerReplica: 17,
}

/** Assumed. */
const assumed = {
  /** Requests per second of one replica, far below what it can do, to leave room for bursts. */
  requestsPerReplica: 2_000,
  /** Share of the measured rate that a server reaches in the long run. */
  sustained: 0.5,
  connectionsPerServer: 500,
}

const wanted = Number(process.argv[2] ?? 100_000)
if (!(wanted > 0)) {
  console.error('usage: npm run scale -- [requests per second]')
  process.exit(2)
}

const replicas = Math.ceil(wanted / assumed.requestsPerReplica)
const connections = replicas * measured.connectionsPerReplica
const byEntries = Math.ceil(wanted / (measured.entriesPerSecond * assumed.sustained))
const byConnections = Math.ceil(connections / assumed.connectionsPerServer)
const bytesPerDay = wanted * 86_400 * (measured.bytesPerEntry + measured.bytesPerUsageRow)

const rows = [
  ['requests per second', wanted],
  ['replicas', replicas],
  ['connections to Postgres', connections],
  ['Postgres servers, by entries', byEntries],
  ['Postgres servers, by connections', byConnections],
  ['entries and usage rows per day, GiB', Math.round(bytesPerDay / 2 ** 30)],
]
for (const [name, value] of rows)
  console.log(`${String(name).padEnd(38)}${String(value).padStart(8)}`)
