import { OutOfReach } from '../../core/fault.ts'
import {
  ConnectionStale,
  DatabaseSilent,
  RefusedStoreError,
  TransientStoreError,
} from '../engine.ts'

const serializationFailure = '40001'
const deadlockDetected = '40P01'
const readOnlyTransaction = '25006'
const idleInTransaction = '25P03'
const queryCanceled = '57014'

/** Too few resources, a state or a lock that does not allow it now, and the server's own system. */
const passingClasses = ['25', '53', '55', '58']

/** Data exceptions and violated constraints: the causes that lie in the values alone. */
const refusedClasses = ['22', '23']

/**
 * Deadlocks, lost connections, sessions that may only read and a server that starts or stops are cured by trying again
 * at once, on a new connection; what the values of a statement cause is never cured. All else (a full disk, a timeout,
 * too few connections) is a matter of time.
 */
export function readPostgresError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  if (error instanceof OutOfReach || error instanceof RefusedStoreError) return error
  const code = 'code' in error ? String(error.code) : ''
  const sqlState = sqlStateOf(error)
  if (sqlState === queryCanceled || code === 'ERR_POSTGRES_CONNECTION_TIMEOUT')
    return new DatabaseSilent(error.message, { cause: error })
  if (isStale(error)) return new ConnectionStale(error.message, { cause: error })
  const isTransient =
    sqlState === serializationFailure ||
    sqlState === deadlockDetected ||
    sqlState === idleInTransaction ||
    code === 'ERR_POSTGRES_IDLE_TIMEOUT'
  if (isTransient) return new TransientStoreError(error.message, { cause: error })
  const kind = sqlState.length === 5 ? sqlState.slice(0, 2) : ''
  if (refusedClasses.includes(kind)) return new RefusedStoreError(error.message, { cause: error })
  return passingClasses.includes(kind) ? new OutOfReach(error.message, { cause: error }) : error
}

/** A session that may only read keeps to that, and to its server, for as long as it lives. */
export function isReadOnlySession(error: unknown): boolean {
  return sqlStateOf(error) === readOnlyTransaction
}

/**
 * Whether what has failed here most likely awaits every connection of the same age: the server ends its sessions, starts,
 * stops, has closed a connection, or has another role since a failover.
 */
export function isStale(error: unknown): boolean {
  const sqlState = sqlStateOf(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return (
    sqlState === readOnlyTransaction ||
    sqlState.startsWith('08') ||
    sqlState.startsWith('57P') ||
    code.startsWith('ERR_POSTGRES_CONNECTION') ||
    code === 'ECONNREFUSED'
  )
}

function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'errno' in error ? String(error.errno) : ''
}

/** Whether the server itself has said so: then it is there. While it starts or stops it is not. */
export function isAnswer(error: unknown): boolean {
  const sqlState = sqlStateOf(error)
  return /^[0-9A-Z]{5}$/.test(sqlState) && !sqlState.startsWith('57P') && !sqlState.startsWith('08')
}
