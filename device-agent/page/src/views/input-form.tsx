/** What an input means. The agent says what is asked for, and in which words. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { usePage } from '../page-context';
import type { Action } from '../parts/action';
import { useAsked } from '../parts/asked';
import { Field } from '../parts/field';
import { MessageNotice } from '../parts/notice';
import { PanelForm } from '../parts/panel-form';

export function InputForm({ action, onClose }: { action: Action; onClose(): void }): JSX.Element | null {
  const { t, language, ask } = usePage();
  const { value, problem } = useAsked('inputs', { language });
  const [typed, setTyped] = useState<Record<string, string>>({});
  if (!value?.form) return problem && <MessageNotice message={problem} />;
  const { fields, presets, wait } = value.form;
  const before = value.inputs.find(({ numInput }) => typed.numInput && numInput === +typed.numInput);
  const values: Record<string, unknown> = { ...presets, ...before, ...typed };
  const textOf = (member: string): string => String(values[member]);
  const shown = fields.filter(({ isOfButtons }) => !isOfButtons || textOf('kind') === 'button');

  const save = (): void => {
    const { numInput, ...change } = Object.fromEntries(
      shown.map(({ member, isNumber }) => [member, isNumber ? Number(textOf(member)) : textOf(member)]),
    );
    action.run(async () => {
      const { mustRestart } = await ask('input', {
        numInput: Number(numInput),
        change: change.kind === 'none' ? null : change,
      });
      onClose();
      return t.saved(textOf('name')) + (mustRestart ? ` ${wait}` : '');
    });
  };

  return (
    <PanelForm action={action} save={t.save} onSave={save} onCancel={onClose}>
      {shown.map(({ member, ...field }) => (
        <Field
          key={member}
          {...field}
          value={textOf(member)}
          onText={(text) => setTyped({ ...typed, [member]: text })}
        />
      ))}
    </PanelForm>
  );
}
