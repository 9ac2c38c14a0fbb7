import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** `aside`: at the right of the title. */
export function Card(props: { title: string; aside?: ComponentChildren; children: ComponentChildren }): JSX.Element {
  const { title, aside, children } = props;
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="beside">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
