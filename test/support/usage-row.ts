/** A row of the request log without its id and time: a successful request that cost nothing. */
export const usageRow = {
  account_id: 'acme',
  key_id: 'k1',
  model: 'gpt-x',
  protocol: 'messages',
  group_id: null,
  stream: 0,
  status: 200,
  reason: null,
  cost_nano: 0n,
  first_token_ms: null,
  total_ms: 1,
  client_address: '',
  client_request_id: null,
  upstream_id: null,
  upstream_request_id: null,
  warnings: null,
}
