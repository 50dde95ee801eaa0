import { Checkbox as PlainCheckbox, Textarea as PlainTextarea, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { probeEveryKind } from '../../../../src/catalog/definition/upstream.ts'
import { NumberInput, Switch, TextInput } from '../../parts/forms/inputs.tsx'
import { memoized } from '../../parts/forms/memoized.tsx'
import { numberLimits } from '../../parts/forms/number-limits.ts'
import { SecretInput } from '../../parts/forms/secret-input.tsx'
import { secondMs, type UpstreamValues } from './upstream-values.ts'

const Checkbox = memoized(PlainCheckbox)
const Textarea = memoized(PlainTextarea)

/** Connection and health check of an upstream. */
export function ConnectionFields(props: {
  form: UseFormReturnType<UpstreamValues>
  proxyHint: string | null
}) {
  const { t } = useTranslation()
  const { form, proxyHint } = props
  return (
    <Stack>
      <SecretInput
        label={t('upstreams.proxy')}
        description={
          proxyHint === null
            ? t('upstreams.proxyHint')
            : t('upstreams.proxyNow', { host: proxyHint })
        }
        placeholder="http://proxy.example.com:3128"
        autoComplete="off"
        disabled={form.values.isProxyRemoved}
        {...form.getInputProps('proxy')}
      />
      {proxyHint !== null && (
        <Checkbox
          label={t('upstreams.proxyRemove')}
          {...form.getInputProps('isProxyRemoved', { type: 'checkbox' })}
        />
      )}
      <Textarea
        label={t('upstreams.ca')}
        description={t('upstreams.caHint')}
        placeholder="-----BEGIN CERTIFICATE-----"
        autosize
        minRows={2}
        maxRows={8}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('ca')}
      />
      <Switch
        label={t('upstreams.private')}
        description={t('upstreams.privateHint')}
        {...form.getInputProps('allowsPrivate', { type: 'checkbox' })}
      />
      <Switch
        label={t('upstreams.probe')}
        description={t('upstreams.probeHint')}
        {...form.getInputProps('isProbed', { type: 'checkbox' })}
      />
      {form.values.isProbed && (
        <>
          <NumberInput
            label={t('upstreams.probeEvery')}
            {...numberLimits(probeEveryKind, secondMs)}
            {...form.getInputProps('probeSeconds')}
          />
          <TextInput
            label={t('upstreams.probeModel')}
            description={t('upstreams.probeModelHint')}
            {...form.getInputProps('probeModel')}
          />
        </>
      )}
    </Stack>
  )
}
