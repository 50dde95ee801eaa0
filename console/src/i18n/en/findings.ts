export const findingWords = {
  'problem.needs_credential':
    'It has credentials, but none for the host or proxy that it has now. Enter them again.',
  'problem.not_spoken': 'It is not spoken to in this protocol.',
  'problem.too_late': 'It did not answer in time.',
  'problem.refused': 'It refused. Its own words:',
  'problem.refused_silently': 'It refused, and did not say why.',
  'problem.unreadable': 'It sent an answer that cannot be read.',
  'problem.unreachable': 'It cannot be reached.',
  'problem.address_refused':
    'Its address is not a public one. If it stands in your own network, allow that in its settings.',
  'problem.connect_failed': 'The connection failed.',
  'problem.connect_timeout': 'The connection timed out.',
  'problem.tls_failed': 'Its TLS certificate could not be verified.',
  'problem.proxy_refused': 'The proxy refused the connection.',
  'problem.closed_before_answer': 'It closed the connection without an answer.',
  'problem.stale_connection': 'It was just closing a connection that was kept. Try again.',
  'problem.cut_short': 'It broke off within its answer.',
  'problem.bad_answer': 'Its answer is not proper HTTP.',
  'finding.credit':
    'Account {{id}}: credits differ by {{amount}} from what is available, leased and spent.',
  'finding.quota':
    'Key {{id}}: its quota differs by {{amount}} from what is available, leased and spent.',
  'finding.entries': 'Key {{id}}: what it has spent differs by {{amount}} from its entries.',
  'setting.(not set)': 'Not set',
  'setting.(none)': 'None',
  'setting.default': 'Default',
}
