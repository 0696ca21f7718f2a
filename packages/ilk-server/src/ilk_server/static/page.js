"use strict";
// A file that is dropped on the page is asked about; everything else works without this.
const form = document.getElementById("ask");
if (form) {
  const over = (event, on) => {
    event.preventDefault();
    document.body.classList.toggle("over", on);
  };
  document.addEventListener("dragover", (event) => over(event, true));
  document.addEventListener("dragleave", (event) => over(event, false));
  document.addEventListener("drop", (event) => {
    over(event, false);
    if (event.dataTransfer.files.length) {
      form.elements.file.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
  form.elements.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
const found = document.getElementById("found");
if (found) found.focus();
// A key stands for the button or the link that names it.
const keyed = document.querySelectorAll("[data-key]");
if (keyed.length) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.matches("input, textarea, select")) return;
    for (const each of keyed) if (each.dataset.key === event.key && !each.disabled) each.click();
  });
}
// Whoever looks at a family gives a sign now and then, and sees who else does.
const looking = document.getElementById("looking");
if (looking) {
  setInterval(async () => {
    if (document.hidden) return;
    const answer = await fetch(looking.dataset.at);
    if (!answer.ok) return;
    const others = await answer.json();
    const said = others.length ? `Also looking at this family: ${others.join(", ")}.` : "";
    if (looking.textContent.trim() !== said) looking.textContent = said;
  }, 15000);
}
