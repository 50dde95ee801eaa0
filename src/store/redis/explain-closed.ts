import { isIP } from 'node:net'
import { connect } from 'node:tls'

const plainPort = 6_379

/**
 * Why a server closes a new connection. The client says only that it was closed; a second handshake tells whether the
 * certificate is the reason. The text names no user and no password.
 */
export async function explainClosed(url: string, waitMsMax: number): Promise<string> {
  const { protocol, hostname: host, port } = new URL(url)
  // An IPv6 address has brackets in a URL only.
  const hostname = host.replace(/^\[|\]$/g, '')
  if (protocol !== 'rediss:')
    return 'the server closed the connection; a server that speaks only TLS needs rediss:// in the setting limits'
  const problem = await handshakeProblem(hostname, Number(port || plainPort), waitMsMax)
  return problem === undefined
    ? 'the server closed the connection'
    : `TLS failed: ${problem}; the certificate must name ${hostname} and come from a public CA or one in NODE_EXTRA_CA_CERTS`
}

function handshakeProblem(
  host: string,
  port: number,
  waitMsMax: number,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: isIP(host) === 0 ? host : '' })
    const end = (problem: string | undefined) => {
      resolve(problem)
      socket.destroy()
    }
    socket.setTimeout(waitMsMax, () => end(`no answer within ${waitMsMax} ms`))
    socket.once('secureConnect', () => end(undefined))
    socket.on('error', (error) => end(error.message))
    socket.once('close', () => end('the server closed the connection'))
  })
}
