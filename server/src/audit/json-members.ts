/** The members of a JSON object, of which nothing is sure; none if the text is something else, as records and files may be damaged. */
export function membersOf(text: string): Partial<Record<string, unknown>> {
  try {
    const parsed: Record<string, unknown> | null = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
