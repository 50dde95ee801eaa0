import type { ProtocolName } from '../../../src/console-api/contract.ts'
import { playProtocols } from './protocols.ts'
import type { WireRequest } from './turn.ts'

const bodyOf = ({ body }: WireRequest) => JSON.stringify(body, null, 2)

function otherHeaders(
  protocol: ProtocolName,
  write: (name: string, value: string) => string,
): string[] {
  return Object.entries(playProtocols[protocol].headers).map(([name, value]) => write(name, value))
}

export function curlOf(root: string, wire: WireRequest, protocol: ProtocolName): string {
  const [name, prefix] = playProtocols[protocol].keyHeader
  // A single quote ends a shell string, so it is written outside of the string.
  const body = bodyOf(wire).replaceAll("'", `'"'"'`)
  return [
    `curl '${root}${wire.path}' \\`,
    `  -H "${name}: ${prefix}$TOLLGATE_KEY" \\`,
    ...otherHeaders(protocol, (other, value) => `  -H '${other}: ${value}' \\`),
    "  -H 'content-type: application/json' \\",
    `  -d '${body}'`,
  ].join('\n')
}

export function typeScriptOf(root: string, wire: WireRequest, protocol: ProtocolName): string {
  const [name, prefix] = playProtocols[protocol].keyHeader
  const key = `\`${prefix}\${process.env.TOLLGATE_KEY}\``
  return [
    `const response = await fetch('${root}${wire.path}', {`,
    "  method: 'POST',",
    '  headers: {',
    `    '${name}': ${key},`,
    ...otherHeaders(protocol, (other, value) => `    '${other}': '${value}',`),
    "    'content-type': 'application/json',",
    '  },',
    `  body: JSON.stringify(${bodyOf(wire).replaceAll('\n', '\n  ')}),`,
    '})',
    'console.log(await response.text())',
  ].join('\n')
}

export function pythonOf(root: string, wire: WireRequest, protocol: ProtocolName): string {
  const [name, prefix] = playProtocols[protocol].keyHeader
  return [
    'import json, os, urllib.request',
    '',
    `body = json.loads(r"""${bodyOf(wire).replaceAll('"""', '\\"\\"\\"')}""")`,
    'request = urllib.request.Request(',
    `    "${root}${wire.path}",`,
    '    data=json.dumps(body).encode(),',
    '    headers={',
    `        "${name}": "${prefix}" + os.environ["TOLLGATE_KEY"],`,
    ...otherHeaders(protocol, (other, value) => `        "${other}": "${value}",`),
    '        "content-type": "application/json",',
    '    },',
    ')',
    'print(urllib.request.urlopen(request).read().decode())',
  ].join('\n')
}
