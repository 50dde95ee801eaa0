import { countAt, isObject, parseJson, stringAt } from '../../wire/json.ts'

/** The first word of the command line of a worker. Not a command for people: the supervisor writes the line. */
export const workerCommand = 'worker'

/** The role that the supervisor gives to a worker at its start. */
export interface WorkerRole {
  /** Its number in the log, from 1. */
  readonly number: number
  /** How many workers serve together. */
  readonly workers: number
  readonly replica: string
  /** The port that all workers share, also when the system has chosen it. */
  readonly port: number
  readonly metricsPort: number | undefined
  /** Whether this worker prepares the banner. */
  readonly greets: boolean
}

export function writeRole(role: WorkerRole): string {
  return JSON.stringify(role)
}

export function readRole(text: string): WorkerRole | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const [number, workers, port] = ['number', 'workers', 'port'].map((name) => countAt(value, name))
  const replica = stringAt(value, 'replica')
  if (number === undefined || workers === undefined || port === undefined) return undefined
  if (replica === undefined) return undefined
  const metricsPort = countAt(value, 'metricsPort')
  return { number, workers, replica, port, metricsPort, greets: value['greets'] === true }
}
