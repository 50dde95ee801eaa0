export const findingTexts = {
  'problem.needs_credential':
    'The stored credentials belong to another host or proxy. Enter them again.',
  'problem.credential_rejected':
    'The upstream rejected the API key. Check the key, and that the base URL belongs to the same provider.',
  'problem.not_spoken': 'This upstream does not support this protocol.',
  'problem.too_late': 'The upstream timed out. Try again, or increase its timeouts.',
  'problem.refused': 'The upstream rejected the request:',
  'problem.refused_silently':
    'The upstream rejected the request without a reason. Check the model name and the protocol.',
  'problem.unreadable':
    'The upstream sent a response that cannot be read. Check the base URL and the protocol.',
  'problem.unreachable': 'The upstream cannot be reached. Check the base URL and the network.',
  'problem.address_refused':
    'The upstream’s address is private. If the upstream is in your own network, allow private addresses in its settings.',
  'problem.connect_failed':
    'The connection failed. Check the host and the port of the base URL, and that the upstream is running.',
  'problem.connect_timeout':
    'The connection timed out. Check the base URL, and that no firewall blocks the connection.',
  'problem.tls_failed':
    'The TLS connection failed. Check that the upstream uses TLS on this port, and that the gateway trusts its certificate.',
  'problem.proxy_refused':
    'The proxy refused the connection. Check the outbound proxy of the upstream.',
  'problem.closed_before_answer':
    'The upstream closed the connection before it responded. Try again. If this repeats, check the base URL.',
  'problem.stale_connection': 'The upstream closed an idle connection. Try again.',
  'problem.cut_short':
    'The upstream closed the connection in the middle of its response. Try again.',
  'problem.bad_answer': 'The upstream’s response is not valid HTTP. Check the base URL.',
  'finding.credit':
    'Account {{id}}: credits differ by {{amount}} from the sum of available, leased and spent.',
  'finding.quota':
    'Key {{id}}: the quota differs by {{amount}} from the sum of available, leased and spent.',
  'finding.budget':
    'Budget {{id}}: the limit differs by {{amount}} from the sum of available, leased and spent.',
  'finding.entries':
    'Key {{id}}: the amount spent differs by {{amount}} from the sum of its entries.',
  'setting.(not set)': 'Not set',
  'setting.(none)': 'None',
  'setting.default': 'Default',
}
