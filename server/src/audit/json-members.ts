/** The members of a JSON object, of any type; none if the text is something else, because records and files may be damaged. */
export function membersOf(text: string): Partial<Record<string, unknown>> {
  try {
    const parsed: Record<string, unknown> | null = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
