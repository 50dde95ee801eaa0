import { runCommands } from '../engine/run-commands.ts'
import type { Shape } from '../units/shape.ts'
import { applyRecords } from './apply-records.ts'
import { inTransaction } from './in-transaction.ts'
import { closeSeconds } from './limits.ts'
import type { PostgresCommand } from './postgres-command.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { PostgresPool } from './postgres-pool.ts'

/*
 * The thread that ships settlements to Postgres over its own connections, so that parsing, sorting and sending them
 * takes no time from the thread that serves requests.
 */

declare const self: Worker

const shapes = new Map<string, Shape>()
let hosts: PostgresHosts | undefined
let pool: PostgresPool | undefined

function opened(): PostgresPool {
  if (!pool) throw new Error('the database is not open')
  return pool
}

runCommands(self, async (command: PostgresCommand): Promise<void> => {
  switch (command.kind) {
    case 'open':
      hosts = new PostgresHosts(command.server)
      pool = new PostgresPool(hosts, command.limits)
      return
    case 'use':
      hosts?.use(command.server)
      return pool?.renew()
    case 'shapes':
      for (const shape of command.shapes) shapes.set(shape.name, shape)
      return
    case 'records':
      return inTransaction(opened(), (connection) => applyRecords(connection, command.text, shapes))
    case 'give-up':
      return pool?.giveUp()
    case 'renew':
      return pool?.renew()
    case 'close':
      return pool?.close(closeSeconds)
  }
})
