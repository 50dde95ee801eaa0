import { DatabaseSilent, TransientStoreError } from '../engine.ts'

const serializationFailure = '40001'
const deadlockDetected = '40P01'
const idleInTransaction = '25P03'
const queryCanceled = '57014'

/** Deadlocks, lost connections and a server that starts or stops are cured by trying again. */
export function readPostgresError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  if (error instanceof TransientStoreError) return error
  const code = 'code' in error ? String(error.code) : ''
  const sqlState = stateOf(error)
  if (sqlState === queryCanceled || code === 'ERR_POSTGRES_CONNECTION_TIMEOUT')
    return new DatabaseSilent(error.message, { cause: error })
  const isTransient =
    sqlState === serializationFailure ||
    sqlState === deadlockDetected ||
    sqlState === idleInTransaction ||
    sqlState.startsWith('08') ||
    sqlState.startsWith('57P') ||
    code.startsWith('ERR_POSTGRES_CONNECTION') ||
    code === 'ECONNREFUSED' ||
    code === 'ERR_POSTGRES_IDLE_TIMEOUT'
  return isTransient ? new TransientStoreError(error.message, { cause: error }) : error
}

/** Whether the server itself has said so: then it is there. While it starts or stops it is not. */
export function isAnswer(error: unknown): boolean {
  const sqlState = stateOf(error)
  return /^[0-9A-Z]{5}$/.test(sqlState) && !sqlState.startsWith('57P') && !sqlState.startsWith('08')
}

function stateOf(error: unknown): string {
  return error instanceof Error && 'errno' in error ? String(error.errno) : ''
}
