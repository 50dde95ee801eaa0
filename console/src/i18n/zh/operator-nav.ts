import type { operatorNavTexts as english } from '../en/operator-nav.ts'

export const operatorNavTexts: Record<keyof typeof english, string> = {
  'nav.upstreams': '上游',
  'nav.prices': '模型与价格',
  'nav.groups': '分组',
  'nav.people': '账户与用户',
  'nav.alerts': '告警',
  'nav.tokens': '管理令牌',
  'nav.allUsage': '全部用量',
  'nav.explain': '请求诊断',
  'nav.audit': '审计日志',
  'nav.system': '系统',
  'operate.allUsageText': '所有账户的所有请求。',
  'operate.save': '保存',
  'operate.saved': '已保存。',
  'operate.delete': '删除',
  'operate.deleted': '已删除 {{name}}。',
  'operate.deleteTitle': '删除 {{name}}？',
  'operate.take': '确定',
  'operate.clear': '清除',
  'operate.actions': '操作',
}
