import type { findingTexts as english } from '../en/findings.ts'

export const findingTexts: Record<keyof typeof english, string> = {
  'problem.needs_credential': '已保存的凭据属于其他主机或代理，请重新输入。',
  'problem.credential_rejected':
    '上游拒绝了该 API 密钥。请检查密钥，并确认 Base URL 属于同一服务商。',
  'problem.not_spoken': '此上游不支持该协议。',
  'problem.too_late': '上游响应超时。请重试，或延长上游的超时时间。',
  'problem.refused': '上游拒绝了请求：',
  'problem.refused_silently': '上游拒绝了请求，且未说明原因。请检查模型名称和协议。',
  'problem.unreadable': '无法解析上游的响应。请检查 Base URL 和协议是否正确。',
  'problem.unreachable': '无法连接到上游。请检查 Base URL 和网络。',
  'problem.address_refused': '上游地址是内网地址。如果上游位于您的内网，请在其设置中允许内网地址。',
  'problem.connect_failed': '连接失败。请检查 Base URL 的主机和端口，并确认上游正在运行。',
  'problem.connect_timeout': '连接超时。请检查 Base URL，并确认连接未被防火墙拦截。',
  'problem.tls_failed': 'TLS 连接失败。请检查上游在此端口是否使用 TLS，以及网关是否信任其证书。',
  'problem.proxy_refused': '代理拒绝了连接。请检查上游的出站代理设置。',
  'problem.closed_before_answer': '上游在响应之前关闭了连接。请重试；如反复出现，请检查 Base URL。',
  'problem.stale_connection': '上游关闭了空闲连接，请重试。',
  'problem.cut_short': '上游的响应中途断开，请重试。',
  'problem.bad_answer': '上游的响应不是有效的 HTTP。请检查 Base URL。',
  'finding.credit': '账户 {{id}}：充值总额与可用、租用、已消费之和相差 {{amount}}。',
  'finding.quota': '密钥 {{id}}：额度与可用、租用、已消费之和相差 {{amount}}。',
  'finding.budget': '预算 {{id}}：限额与可用、租用、已消费之和相差 {{amount}}。',
  'finding.entries': '密钥 {{id}}：已消费金额与明细合计相差 {{amount}}。',
  'setting.(not set)': '未设置',
  'setting.(none)': '无',
  'setting.default': '默认',
}
