import { Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { auditKinds } from '../../../../src/console-api/contract.ts'
import { DebouncedInput } from '../../parts/forms/debounced-input.tsx'
import { Select } from '../../parts/forms/select.tsx'
import type { AuditFilter } from '../operator-queries.ts'

const days = ['1', '7', '30', '90'] as const
const dayMs = 86_400_000

/** Filters of the audit log. */
export function AuditFilters(props: {
  value: AuditFilter
  onChange: (filter: AuditFilter) => void
}) {
  const { t } = useTranslation()
  const { value, onChange } = props
  const [period, setPeriod] = useState<string | null>(null)
  const clear = { clearable: true, clearButtonProps: { 'aria-label': t('operate.clear') } }
  return (
    <Group gap="xs" mb="md">
      <Select
        aria-label={t('audit.what')}
        placeholder={t('audit.anything')}
        data={auditKinds.map((kind) => ({
          value: `${kind}.`,
          label: t(`audit.kind.${kind}`),
        }))}
        w={{ base: '100%', xs: 190 }}
        value={value.action ?? null}
        onChange={(action) => onChange({ ...value, action: action ?? undefined })}
        {...clear}
      />
      <DebouncedInput
        label={t('audit.subjectId')}
        isLabelHidden
        placeholder={t('audit.subjectId')}
        w={{ base: '100%', xs: 190 }}
        value={value.subject ?? ''}
        onChange={(subject) => onChange({ ...value, subject: subject || undefined })}
      />
      <DebouncedInput
        label={t('audit.actor')}
        isLabelHidden
        placeholder={t('audit.actor')}
        w={{ base: '100%', xs: 190 }}
        value={value.actor ?? ''}
        onChange={(actor) => onChange({ ...value, actor: actor || undefined })}
      />
      <Select
        aria-label={t('audit.when')}
        placeholder={t('audit.anyTime')}
        data={days.map((count) => ({
          value: count,
          label: t('audit.days', { count: Number(count) }),
        }))}
        w={{ base: '100%', xs: 160 }}
        value={period}
        onChange={(count) => {
          setPeriod(count)
          const from = count === null ? undefined : String(Date.now() - Number(count) * dayMs)
          onChange({ ...value, from })
        }}
        {...clear}
      />
    </Group>
  )
}
