import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

export interface FullListener {
  readonly port: number
  stop(): Promise<void>
}

/** More than any listen queue that a runtime requests. */
const connectionsMax = 10_000
const waitMs = 200

/** Listens and then blocks forever: the kernel accepts connections until the queue is full. */
const sleeper = `
const { createServer } = require('node:net')
const { parentPort } = require('node:worker_threads')
const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`

/** A port that neither accepts nor refuses a connection, like a host behind a firewall that is down. */
export async function startFullListener(): Promise<FullListener> {
  const worker = new Worker(sleeper, { eval: true })
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const sockets: Socket[] = []
  while (sockets.length < connectionsMax) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    if (!(await isTaken(socket))) break
  }
  return {
    port,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await worker.terminate()
    },
  }
}

function isTaken(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), waitMs)
    socket.on('error', () => undefined)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
