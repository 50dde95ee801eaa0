import { portMax } from '../core/network/port.ts'

export interface Listen {
  readonly hostname: string
  /** 0 lets the system choose. */
  readonly port: number
}

const everyInterface = '0.0.0.0'

/** Reads `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080` or `:8080`, which means every interface. */
export function readListen(text: string): Listen | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]*)):(\d{1,5})$/.exec(text.trim())
  if (!match) return undefined
  const [, ipv6, name = '', portText] = match
  const port = Number(portText)
  if (port > portMax) return undefined
  if (ipv6 !== undefined) return { hostname: ipv6, port }
  return { hostname: name === '' ? everyInterface : name, port }
}
