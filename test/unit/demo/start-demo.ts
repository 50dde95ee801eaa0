import {
  createDemoUpstream,
  type DemoUpstreamOptions,
} from '../../../src/demo/upstream/demo-upstream.ts'

export interface StartedDemo {
  readonly url: string
  post(path: string, body: unknown): Promise<Response>
  stop(): Promise<void>
}

/** The demo upstream behind a real socket. */
export function startDemo(options: DemoUpstreamOptions = { wordDelayMs: 0 }): StartedDemo {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: createDemoUpstream(options) })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    post: (path, body) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stop: () => server.stop(true),
  }
}
